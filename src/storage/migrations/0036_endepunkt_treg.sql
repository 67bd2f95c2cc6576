-- Remembers until when an endpoint is taken for slow. Takes no time.
-- Works from: 0011

-- Those that are slow, and those of test keys, have places of their own: nobody waits behind them who is neither.
alter table endepunkt add column treg_til timestamptz not null default '-infinity';
