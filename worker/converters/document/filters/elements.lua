-- Lets each element hold only what its target may, and counts what is in the document.
--
-- Pandoc hands attributes, classes and the names of pictures on to typst as they are: only those
-- that are known to be harmless stay. Pictures that the document does not hold are not fetched. What
-- was found goes to stdout as one line of JSON.

local FLAT = { gfm = true, rst = true, org = true, ipynb = true }
local REFERS = { gfm = true, rst = true, org = true, html = true, latex = true, plain = true }
local ENDINGS = {
  ['image/png'] = 'png', ['image/jpeg'] = 'jpg', ['image/gif'] = 'gif', ['image/webp'] = 'webp',
  ['image/svg+xml'] = 'svg',
}
local IS_TYPST = FORMAT == 'typst'
local IS_SIMPLE = os.getenv('ROWMILL_SIMPLE') == '1'

local IS_LITERAL = os.getenv('ROWMILL_LITERAL') == '1' and (FORMAT == 'gfm' or FORMAT == 'ipynb')

local found = { pictures = 0, missing = 0, tables = 0, formulas = 0, headings = 0, citations = 0 }

local seen = {}

local function cleaned(attr)
  if not IS_TYPST then return attr end
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
  if not IS_TYPST then return nil end
  if element.attr then element.attr = cleaned(element.attr) end
  return element
end

local function clean_rows(rows)
  for _, row in ipairs(rows) do
    row.attr = cleaned(row.attr)
    for _, cell in ipairs(row.cells) do cell.attr = cleaned(cell.attr) end
  end
  return rows
end

local function heading(header)
  found.headings = found.headings + 1
  return with_clean_attr(header)
end

local function table_of_rows(element)
  found.tables = found.tables + 1
  if not IS_TYPST then return nil end
  element.colspecs = element.colspecs:map(function(column)
    return { column[1] == 'AlignDefault' and 'AlignLeft' or column[1], column[2] }
  end) -- it would centre them
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
  found.formulas = found.formulas + 1
  return IS_SIMPLE and pandoc.Code(math.text) or nil
end

local function citation(cite)
  found.citations = found.citations + 1
  local text = pandoc.utils.stringify(cite.content)
  if text ~= '' then return cite.content end
  local names = cite.citations:map(function(one) return one.id end)
  return pandoc.Str('[' .. table.concat(names, '; ') .. ']')
end

-- Whether the document itself holds the picture; one written into a reference is put beside it.
local function is_here(image)
  if image.src:match('^data:') then
    local ok, kind, content = pcall(pandoc.mediabag.fetch, image.src)
    if not ok or not kind then return false end
    local ending = ENDINGS[kind:match('^[^;]+')] or 'bin'
    image.src = pandoc.utils.sha1(content) .. '.' .. ending
    pandoc.mediabag.insert(image.src, kind, content)
  end
  local kind, content = pandoc.mediabag.lookup(image.src)
  if kind and IS_TYPST then -- it believes a name's ending more than the content
    image.src = pandoc.utils.sha1(content) .. '.picture'
    pandoc.mediabag.insert(image.src, kind, content)
  end
  return kind ~= nil
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
    return with_clean_attr(image) or image
  end
  found.missing = found.missing + 1
  return REFERS[FORMAT] and image or description(image)
end

local function flattened(element)
  if FLAT[FORMAT] then return element.content end
  return with_clean_attr(element)
end

-- Markdown writes a link that opens a new window as HTML, which nobody wants to read.
local function plain_link(link)
  if FLAT[FORMAT] then link.attr = pandoc.Attr() end
  return with_clean_attr(link) or link
end

local function figure(element)
  if FORMAT ~= 'gfm' then return with_clean_attr(element) end
  local blocks = element.content
  local caption = pandoc.utils.stringify(element.caption.long)
  local shown = pandoc.utils.stringify(blocks)
  if caption ~= '' and caption ~= shown then blocks:extend(element.caption.long) end
  return blocks
end

-- Typst ends with an error at a reference to what is not there.
local function without_dangling_links(document)
  return document:walk {
    Link = function(link)
      if link.target == '' then return link.content end
      local name = link.target:match('^#(.*)$')
      if not name then return nil end
      name = name:gsub('%%(%x%x)', function(digits) return string.char(tonumber(digits, 16)) end)
      if IS_SIMPLE or not seen[name] then return link.content end
      link.target = '#' .. name
      return link
    end,
  }
end

-- A function is only there where it has something to do: an element that comes to Lua is copied.
-- HTML that was read may have brought anything.
local function changes()
  local has_all = present.RawBlock or present.RawInline
  local is_plain = not (IS_TYPST or FLAT[FORMAT])
  local function if_any(kind, change) return (has_all or present[kind]) and change or nil end
  return {
    Header = heading, Table = table_of_rows,
    Math = if_any('Math', formula), Cite = if_any('Cite', citation),
    Image = if_any('Image', picture),
    Link = not is_plain and if_any('Link', plain_link) or nil,
    Span = not is_plain and if_any('Span', flattened) or nil,
    Div = not is_plain and flattened or nil, Figure = not is_plain and figure or nil,
    Code = IS_TYPST and with_clean_attr or nil, CodeBlock = IS_TYPST and with_clean_attr or nil,
    Str = IS_LITERAL and literal or nil,
  }
end

local function whole(document)
  document = document:walk(changes())
  print(pandoc.json.encode(found))
  io.stdout:flush()
  return IS_TYPST and without_dangling_links(document) or document
end

return { { Pandoc = whole } }
