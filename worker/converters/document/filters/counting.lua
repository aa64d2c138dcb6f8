-- Counts what is in a document: tables and headings here, pictures and outputs where they are
-- looked at.

local found = { pictures = 0, missing = 0, tables = 0, headings = 0, unshown = 0 }

-- What begins like an element may be the end of a text: one of these follows its last quote.
local NO_END = '"[^,)%] ]'
local TABLE, HEADER = '^Table %(' .. NO_END, '^Header %d+ %(' .. NO_END

local function count(printed, name, exactly)
  local number, at = 0, printed:find(name, 1, true)
  while at do
    if printed:find(exactly, at) then number = number + 1 end
    at = printed:find(name, at + 1, true)
  end
  return number
end

-- Counts in what pandoc prints of a block, where no text has a quote without a backslash.
local function count_in(printed)
  found.tables = found.tables + count(printed, 'Table (', TABLE)
  found.headings = found.headings + count(printed, 'Header ', HEADER)
end

local function counted(name, change)
  return function(element)
    found[name] = found[name] + 1
    return change and change(element)
  end
end

-- Adds the same to functions for a walk over what has not been printed.
local function counting(changes)
  local all = { Table = counted('tables', changes.Table), Header = counted('headings', changes.Header) }
  for kind, change in pairs(changes) do all[kind] = all[kind] or change end
  return all
end

return { found = found, count_in = count_in, counting = counting }
