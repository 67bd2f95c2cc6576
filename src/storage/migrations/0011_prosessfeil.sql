-- Remembers which processes ended by an error, so that operators see the last one.

-- The last hundred, numbered without gaps: the highest number is how many there have ever been. No message of an error, since
-- that may say anything: its class, its code and where in our code it was thrown. The rest stands in the log.
create table prosessfeil (
  nummer integer primary key check (nummer > 0),
  id uuid not null unique,
  slag text not null,
  versjon text not null,
  endt_at timestamptz not null,
  feil text not null,
  sted text
);
