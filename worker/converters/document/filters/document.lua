-- Takes a document through the other parts, and walks only those of its blocks that need it.
--
-- In a walk pandoc looks for each word whether Lua has a function for it. To print a block costs a
-- third of that, and what it prints names every element in it. Where such a name is but a word of
-- the text, the walk changes nothing. A document of little but pictures is not worth printing.

local counting, elements = parts.counting, parts.elements
local counting_changes = counting.counting(elements.changes)

local IS_MOSTLY_PICTURES = os.getenv('ROWMILL_MOSTLY_PICTURES') == '1'

local function finish(run, out)
  if #run.blocks > 0 then out:extend(pandoc.Pandoc(run.blocks):walk(run.needed).blocks) end
  run.blocks, run.needed = {}, {}
end

-- Blocks that follow each other are walked together, with the functions that any of them needs.
local function add(block, printed, run, out)
  counting.count_in(printed)
  local is_done = true
  for kind, change in pairs(elements.changes) do
    if printed:find(kind .. ' ', 1, true) then run.needed[kind], is_done = change, false end
  end
  if is_done then
    finish(run, out)
    out:insert(block)
  else
    run.blocks[#run.blocks + 1] = block
  end
end

local function add_without_raw(block, run, out)
  local printed = tostring(block)
  if not printed:find('Raw', 1, true) then return add(block, printed, run, out) end
  for _, one in ipairs(pandoc.Blocks({ block }):walk(parts.raw.changes)) do
    add(one, tostring(one), run, out)
  end
end

local function changed(blocks)
  local out, run = pandoc.Blocks {}, { blocks = {}, needed = {} }
  for _, block in ipairs(blocks) do
    if block.t == 'Div' then -- a whole page may stand in one
      finish(run, out)
      block.content = changed(block.content)
      out:extend(elements.division(block))
    else
      add_without_raw(block, run, out)
    end
  end
  finish(run, out)
  return out
end

local function changed_at_once(document)
  return document:walk(parts.raw.changes):walk(counting_changes)
end

local function changed_in_parts(document)
  local meta = changed_at_once(pandoc.Pandoc({}, document.meta)).meta
  return pandoc.Pandoc(changed(document.blocks), meta)
end

local function whole(document)
  local change = IS_MOSTLY_PICTURES and changed_at_once or changed_in_parts
  document = elements.afterwards(change(parts.outputs(document)))
  print(pandoc.json.encode(counting.found))
  io.stdout:flush()
  return parts.metadata(document)
end

return { { Pandoc = whole } }
