-- Notices which kinds of elements a document has, before anything is done to them.
--
-- A walk that has a function for inlines looks at each word. One such walk finds out what the
-- others need not look for.

present = {} -- the one global name: the other parts read it

local noticing = {}
for _, kind in ipairs { 'RawBlock', 'RawInline', 'Math', 'Cite', 'Image', 'Link', 'Span' } do
  noticing[kind] = function() present[kind] = true end
end

return { noticing }
