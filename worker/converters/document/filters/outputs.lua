-- Leaves of each output of a notebook the one form that shows it best: a picture, or else the first.
--
-- Pandoc chooses only after its filters, when HTML has become blocks like any other, and only where
-- the outputs still stand in divisions of their own.

local IS_NOTEBOOK = os.getenv('ROWMILL_NOTEBOOK') == '1'
local READERS = { html = 'html', latex = 'latex', markdown = 'commonmark_x-raw_attribute' }
local ESCAPES = '\27%[[0-?]*[ -/]*[@-~]' -- colours of a terminal

local found = parts.counting.found

local function is_picture(form)
  return form.t == 'Para' and #form.content == 1 and form.content[1].t == 'Image'
end

-- A script alone is HTML with nothing in it, and so is a frame of another page.
local function has_something(blocks)
  return pandoc.utils.stringify(blocks):find('%S') or tostring(blocks):find('Image (', 1, true)
end

-- What a target shows of a form, or nil if that is nothing.
local function shown(form)
  if form.t == 'CodeBlock' then
    form.text = form.text:gsub(ESCAPES, '')
  elseif form.t == 'RawBlock' and form.format ~= FORMAT then
    local reader = READERS[form.format]
    local blocks = pandoc.Blocks(reader and parts.raw.read(form.text, reader) or {})
    return has_something(blocks) and blocks or nil
  end
  return pandoc.Blocks { form }
end

-- Formulas in words that pandoc does not know are still there to be read.
local function is_latex(form)
  return form.t == 'RawBlock' and form.format == 'latex' and form.text:find('%S')
end

local function best(forms)
  local picture = forms:find_if(is_picture)
  if picture then return pandoc.Blocks { picture } end
  for _, form in ipairs(forms) do
    local blocks = shown(form)
    if blocks then return blocks end
  end
  local latex = forms:find_if(is_latex)
  if latex then return pandoc.Blocks { pandoc.CodeBlock(latex.text, { class = 'latex' }) } end
  found.unshown = found.unshown + 1
  return forms
end

local function chosen(block)
  if block.t == 'Div' and block.classes[1] == 'output' then
    local blocks = best(block.content)
    block.content = #blocks > 1 and { pandoc.Div(blocks) } or blocks -- pandoc keeps but the first
  end
  return block
end

-- Outputs stand in cells, and cells in nothing: there is no need to walk the words.
local function whole(document)
  if not IS_NOTEBOOK then return document end
  document.blocks = document.blocks:map(function(cell)
    if cell.t == 'Div' then cell.content = cell.content:map(chosen) end
    return cell
  end)
  return document
end

return whole
