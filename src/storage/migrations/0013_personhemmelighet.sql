-- Keeps the secret that people's ids are made with. Takes no time.
-- Works from: 0011

-- One row, made by whichever process needs it first. It goes with a backup: without it every person gets another id.
create table personhemmelighet (
  nummer integer primary key check (nummer = 1),
  verdi bytea not null check (octet_length(verdi) = 32),
  laget_at timestamptz not null default now()
);
