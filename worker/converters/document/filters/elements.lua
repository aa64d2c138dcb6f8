-- Lets each element hold only what its target may.
--
-- Pandoc hands attributes, classes and the names of pictures on to typst as they are: only those
-- that are known to be harmless stay. Pictures that the document does not hold are not fetched.

local FLAT = { gfm = true, rst = true, org = true, ipynb = true }
local REFERS = { gfm = true, rst = true, org = true, html = true, latex = true, plain = true }
local ENDINGS = {
  ['image/png'] = 'png', ['image/jpeg'] = 'jpg', ['image/gif'] = 'gif', ['image/webp'] = 'webp',
  ['image/svg+xml'] = 'svg',
}
local IS_TYPST = FORMAT == 'typst'
local IS_SIMPLE = os.getenv('ROWMILL_SIMPLE') == '1'

local IS_LITERAL = os.getenv('ROWMILL_LITERAL') == '1' and (FORMAT == 'gfm' or FORMAT == 'ipynb')

local found = parts.counting.found

local seen, is_linked = {}, false

local function cleaned(attr)
  local identifier = attr.identifier
  if not identifier:match('^[%w%-_.:\128-\255]+$') or seen[identifier] then identifier = '' end
  seen[identifier] = true
  local classes = attr.classes:filter(function(class) return class:match('^[%w%-_+#]+$') end)
  local attributes = {}
  for _, name in ipairs({ 'width', 'height', 'start' }) do
    local value = attr.attributes[name]
    if value and value:match('^[%d.]+%%?%a*$') then attributes[name] = value end
  end
  return pandoc.Attr(identifier, classes, attributes)
end

local function with_clean_attr(element)
  if IS_TYPST and element.attr then element.attr = cleaned(element.attr) end
  return element
end

local function clean_rows(rows)
  for _, row in ipairs(rows) do
    row.attr = cleaned(row.attr)
    for _, cell in ipairs(row.cells) do cell.attr = cleaned(cell.attr) end
  end
  return rows
end

-- Without what is printed of empty attributes, nothing is left that begins as others do.
local function has_attributes(element)
  local rest = tostring(element):gsub('%("",%[%],%[%]%)', '')
  return rest:find('("', 1, true) ~= nil
end

local function clean_table(element)
  element.colspecs = element.colspecs:map(function(column)
    return { column[1] == 'AlignDefault' and 'AlignLeft' or column[1], column[2] }
  end) -- it would centre them
  if not has_attributes(element) then return element end
  element.attr = cleaned(element.attr)
  element.head.attr = cleaned(element.head.attr)
  element.head.rows = clean_rows(element.head.rows)
  element.foot.attr = cleaned(element.foot.attr)
  element.foot.rows = clean_rows(element.foot.rows)
  local bodies = element.bodies
  for _, body in ipairs(bodies) do
    body.attr = cleaned(body.attr)
    body.head = clean_rows(body.head)
    body.body = clean_rows(body.body)
  end
  element.bodies = bodies
  return element
end

-- Pandoc escapes what its own readers would take for markup; other readers take more.
local function literal(text)
  local escaped = text.text:gsub('[\\`*_%[%]<>&#~|^$]', '\\%0')
  escaped = escaped:gsub('^[-+=:]', '\\%0'):gsub('^(%d+)([.)])', '%1\\%2')
  return pandoc.RawInline('markdown', escaped)
end

local function formula(math)
  return pandoc.Code(math.text)
end

local function citation(cite)
  local text = pandoc.utils.stringify(cite.content)
  if text ~= '' then return cite.content end
  local names = cite.citations:map(function(one) return one.id end)
  return pandoc.Str('[' .. table.concat(names, '; ') .. ']')
end

local function put_beside(image, kind, content)
  local ending = ENDINGS[kind:match('^[^;]+')] or image.src:match('^[^:]+%.(%w+)$') or 'bin'
  if IS_TYPST then ending = 'picture' end -- it believes a name's ending more than the content
  image.src = pandoc.utils.sha1(content) .. '.' .. ending
  pandoc.mediabag.insert(image.src, kind, content)
end

-- Whether the document itself holds the picture; one written into a reference is put beside it.
local function is_here(image)
  local src = image.src
  local is_inside = src:match('^data:') ~= nil
  local ok, kind, content = pcall(is_inside and pandoc.mediabag.fetch or pandoc.mediabag.lookup, src)
  if not ok or not kind then return false end
  if is_inside or IS_TYPST or FORMAT == 'html' then put_beside(image, kind, content) end
  return true
end

local function description(image)
  local is_short = #image.src < 200
  local text = image.caption
  if #text == 0 and is_short then text = pandoc.Inlines { pandoc.Str(image.src) } end
  if image.src:match('^https?://') then return pandoc.Link(text, image.src) end
  return pandoc.Span(text)
end

local function picture(image)
  if is_here(image) then
    found.pictures = found.pictures + 1
    if FLAT[FORMAT] then image.attr = pandoc.Attr() end
    if IS_TYPST then image.identifier = '' end -- it would be written nowhere, and links to it fail
    return with_clean_attr(image)
  end
  found.missing = found.missing + 1
  return REFERS[FORMAT] and image or description(image)
end

local function span(element)
  return FLAT[FORMAT] and element.content or with_clean_attr(element)
end

local function division(div)
  return FLAT[FORMAT] and div.content or pandoc.Blocks { with_clean_attr(div) }
end

-- Markdown writes a link that opens a new window as HTML, which nobody wants to read.
local function plain_link(link)
  is_linked = true
  if FLAT[FORMAT] then link.attr = pandoc.Attr() end
  return with_clean_attr(link)
end

local function figure(element)
  if FORMAT ~= 'gfm' then return with_clean_attr(element) end
  local blocks = element.content
  local caption = pandoc.utils.stringify(element.caption.long)
  local shown = pandoc.utils.stringify(blocks)
  if caption ~= '' and caption ~= shown then blocks:extend(element.caption.long) end
  return blocks
end

local function without_dangling(link)
  if link.target == '' then return link.content end
  local name = link.target:match('^#(.*)$')
  if not name then return nil end
  name = name:gsub('%%(%x%x)', function(digits) return string.char(tonumber(digits, 16)) end)
  if IS_SIMPLE or not seen[name] then return link.content end
  link.target = '#' .. name
  return link
end

-- Typst ends with an error at a reference to what is not there; all names are known at the end.
local function afterwards(document)
  return IS_TYPST and is_linked and document:walk { Link = without_dangling } or document
end

local changes = { Image = picture, Cite = citation }
if IS_SIMPLE then changes.Math = formula end
if IS_LITERAL then changes.Str = literal end
if IS_TYPST or FLAT[FORMAT] then
  changes.Link, changes.Span, changes.Div = plain_link, span, division
end
if IS_TYPST or FORMAT == 'gfm' then changes.Figure = figure end
if IS_TYPST then
  changes.Header, changes.Code, changes.CodeBlock = with_clean_attr, with_clean_attr, with_clean_attr
  changes.Table = clean_table
end

return { changes = changes, division = division, afterwards = afterwards }
