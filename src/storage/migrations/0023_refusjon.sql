-- Lets the money of an order be given back: two states of it, its errands, and a line of its own in the books. Takes no time.
-- Works from: 0011

alter table ordre
  drop constraint ordre_tilstand_check,
  add constraint ordre_tilstand_check check (tilstand in ('opprettet', 'reservert', 'avvist', 'sendt', 'fullfort', 'tapt',
    'kanselleres', 'kansellert', 'avbrutt', 'utlopt', 'avvik', 'refunderes', 'refundert')),
  add column refundert_at timestamptz;

alter table utboks
  drop constraint utboks_slag_check,
  add constraint utboks_slag_check check (slag in ('lever', 'trekk', 'kanseller', 'kvittering', 'lenke', 'erstatt', 'paaminn',
    'refunder', 'kreditnota'));

-- What was given back, numbered without gaps in a series of its own. It says what the line it credits says.
create table kreditnota (
  nummer bigint primary key,
  ordre text not null unique,
  bilag bigint not null,
  betalingsreferanse text not null,
  dato timestamptz not null,
  produkt text not null,
  belop_ore integer not null,
  valuta text not null,
  mva text not null,
  selger text not null
);
