-- Creates the table of wishes for a test key. Takes no time.
-- Works from: 0011

-- The address stands here until the mail has gone, an hour at most. What is left for a day tells how often an address asked,
-- and not whose it is: `avtrykk` is its HMAC-SHA256 with the secret of the installation.
create table testnokkelonske (
  id bigint generated always as identity primary key,
  avtrykk bytea not null check (octet_length(avtrykk) = 32),
  nr integer not null check (nr > 0),
  epost text,
  spurt_at timestamptz not null,
  -- When somebody mailed it; set before, so that a mail that may have gone is not sent again.
  tatt_at timestamptz,
  neste_at timestamptz not null,
  unique (avtrykk, nr)
);

create index testnokkelonske_spurt on testnokkelonske (spurt_at);
create index testnokkelonske_venter on testnokkelonske (neste_at) where epost is not null;
