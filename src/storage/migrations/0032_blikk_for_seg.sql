-- Gives what may be asked for slowly a line of its own, and remembers since when an answer is known. Seconds for a million watched companies.
-- Works from: 0011

-- When each watched company is looked at next for what may be asked for once a second: nothing else waits for it.
alter table blikk add column sene_at timestamptz not null default now();
update blikk set sene_at = neste_at;
create index blikk_sene on blikk (sene_at);

-- Since when there is something to compare with; null: from before this was remembered, and not later than sett_at.
alter table grunnlag add column fra_at timestamptz;
