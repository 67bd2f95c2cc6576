-- Lets several keys be held by one right, and keeps the day each was last used. Takes no time.
-- Works from: 0011

alter table api_nokkel
  -- The chain that was bought or issued, of a key its holder has made beside it: a chain of its own, which lives no longer.
  add column tilhorer text check (tilhorer is null or (kjede = id and tilhorer <> id)),
  -- What its holder calls it. Null for the chain that was bought or issued, and once it is no longer kept.
  add column navn text check (length(navn) between 1 and 60),
  -- The day in Norway on which it last opened anything, written now and then.
  add column sist_brukt date;

create index api_nokkel_tilhorer on api_nokkel (tilhorer) where tilhorer is not null;
