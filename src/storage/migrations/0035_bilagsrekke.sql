-- Keeps from where the numbers of the books go on after a backup was read in. Takes no time.
-- Works from: 0011

-- What was sold after the backup has numbers that only its buyers know. The next is no lower than any of these.
create table bilagsrekke (
  fra bigint primary key,
  apnet_at timestamptz not null
);
