-- Turns text of another language ("raw") into what it means, or drops it.
--
-- It goes nowhere but into a target of that language, and never into typst, where it would be a
-- program. HTML is read, in an environment that has no files and no network: a filter is not bound
-- by pandoc's sandbox.

local RAW = {
  html = { html = true, html4 = true, html5 = true },
  gfm = { html = true, html4 = true, html5 = true },
  latex = { latex = true, tex = true },
}
local WRAPS = {
  b = pandoc.Strong, strong = pandoc.Strong, i = pandoc.Emph, em = pandoc.Emph,
  sub = pandoc.Subscript, sup = pandoc.Superscript, u = pandoc.Underline,
  s = pandoc.Strikeout, del = pandoc.Strikeout,
}
local FARTHEST = 200 -- inlines between a tag and its end

local function is_html(raw)
  return raw.format:match('^html%d?$') ~= nil
end

local function is_kept(raw)
  local kept = RAW[FORMAT]
  return kept ~= nil and kept[raw.format] == true
end

-- Reads a text in an environment that has no files and no network.
local function read(text, format)
  local ok, document = pcall(pandoc.read, text, format, nil, {})
  return ok and document.blocks or pandoc.Blocks {}
end

local function read_html(text) return read(text, 'html') end

local function raw_block(raw)
  if is_kept(raw) then return nil end
  return is_html(raw) and read_html(raw.text) or {}
end

local function opened(inline)
  if inline.t ~= 'RawInline' or not is_html(inline) or is_kept(inline) then return nil end
  local tag = inline.text:match('^<(%a+)>$')
  return tag and WRAPS[tag:lower()] and tag:lower()
end

local function closing(inlines, start, tag)
  for at = start + 1, math.min(#inlines, start + FARTHEST) do
    local other = inlines[at]
    if other.t == 'RawInline' and other.text:lower() == '</' .. tag .. '>' then return at end
  end
end

local function replaced(inline)
  if inline.t ~= 'RawInline' or is_kept(inline) then return { inline } end
  if not is_html(inline) then return {} end
  if inline.text:match('^<[bB][rR]%s*/?>$') then return { pandoc.LineBreak() } end
  if inline.text:match('^<[iI][mM][gG]%s') then
    return pandoc.utils.blocks_to_inlines(read_html(inline.text))
  end
  return {}
end

local function raw_inlines(inlines)
  local out = pandoc.Inlines {}
  local at = 1
  while at <= #inlines do
    local tag = opened(inlines[at])
    local stop = tag and closing(inlines, at, tag)
    if stop then
      local inside = pandoc.Inlines {}
      for part = at + 1, stop - 1 do inside:insert(inlines[part]) end
      out:insert(WRAPS[tag](raw_inlines(inside)))
      at = stop + 1
    else
      out:extend(replaced(inlines[at]))
      at = at + 1
    end
  end
  return out
end

local function where_raw(inlines)
  return inlines:find_if(function(inline) return inline.t == 'RawInline' end)
    and raw_inlines(inlines) or nil
end

return { changes = { RawBlock = raw_block, Inlines = where_raw }, read = read }
