-- Keeps of a document's metadata what is harmless, and sees that its title stands somewhere.
--
-- Templates take much of it as it is: a font size in it would be a piece of a typst program.

local METADATA = { title = true, subtitle = true, author = true, date = true, abstract = true }
local DIRECTIONS = { rtl = true, ltr = true, auto = true }
local UNSHOWN = { -- what a format's pages leave out of the metadata, in the order of reading
  ipynb = { 'title', 'subtitle', 'author', 'date', 'abstract' },
  org = { 'subtitle', 'abstract' },
  plain = { 'subtitle', 'abstract' },
  rtf = { 'subtitle', 'abstract' },
}
local IS_TYPST = FORMAT == 'typst'

local function metadata(meta)
  local kept = {}
  for name, value in pairs(meta) do
    if METADATA[name] or (name == 'jupyter' and FORMAT == 'ipynb') then kept[name] = value end
  end
  local language = meta.lang and pandoc.utils.stringify(meta.lang) or ''
  if language:match('^%a%a%a?$') or language:match('^%a%a%a?%-[%w-]+$') then
    kept.lang = IS_TYPST and language:match('^%a+'):lower() or language
  end
  local direction = meta.dir and pandoc.utils.stringify(meta.dir) or ''
  if DIRECTIONS[direction] then kept.dir = direction end
  return kept
end

local function first_heading(blocks)
  local text
  local function noted(header) text = text or pandoc.utils.stringify(header) end
  for _, block in ipairs(blocks) do
    pandoc.Blocks({ block }):walk { Header = noted }
    if text then break end
  end
  return text ~= '' and text or nil
end

local function as_block(name, value)
  local kind = pandoc.utils.type(value)
  if kind == 'Blocks' then return pandoc.Div(value) end
  local text = kind == 'Inlines' and value or pandoc.Inlines { pandoc.Str(pandoc.utils.stringify(value)) }
  return name == 'title' and pandoc.Header(1, text) or pandoc.Para(text)
end

-- A title that would stand nowhere becomes a heading, the rest becomes paragraphs.
local function shown(document)
  local at = 1
  for _, name in ipairs(UNSHOWN[FORMAT] or {}) do
    local value = document.meta[name]
    if value then
      document.blocks:insert(at, as_block(name, value))
      document.meta[name] = nil
      at = at + 1
    end
  end
end

local function titled(document)
  if FORMAT ~= 'html' and not FORMAT:match('^epub') then return end
  local meta = document.meta
  local has_title = meta.title and pandoc.utils.stringify(meta.title) ~= ''
  if has_title then return end
  local title = first_heading(document.blocks) or 'Document'
  if FORMAT == 'html' then meta.pagetitle = title end
  if FORMAT:match('^epub') then meta.title = title end
end

local function whole(document)
  document.meta = pandoc.Meta(metadata(document.meta))
  titled(document)
  shown(document)
  local margin = os.getenv('ROWMILL_MARGIN')
  if IS_TYPST and margin then document.meta.margin = { x = margin, y = margin } end
  return document
end

return whole
