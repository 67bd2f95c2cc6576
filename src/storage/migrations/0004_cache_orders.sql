-- Orders to the processes that keep companies in memory: what an operator wants forgotten or made stale.
create table mellomlager_ordre (
  nummer bigint generated always as identity primary key,
  -- Nine digits, or the beginning of many; '' is everything.
  foretak text not null check (foretak ~ '^([0-9]{0,9}|sok-)$'),
  -- Null is all of them.
  seksjoner text[],
  hard boolean not null,
  gitt_at timestamptz not null default now()
);
