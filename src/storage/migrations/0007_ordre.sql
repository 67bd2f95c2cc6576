-- Creates the tables of orders and of what is to be mailed and charged; keys can now wait for their first use. Takes no time.

-- A key is one of a chain: what one purchase, or one issue, gives the right to. Whichever is used first voids the others.
alter table api_nokkel
  alter column epost drop not null,
  -- Null once the key has been over for so long that nobody may be told anything about it but that it is not known.
  alter column hash drop not null,
  add column kjede text check (kjede ~ '^[0-9A-Za-z]{10,12}$'),
  -- ventende: its mail may not have arrived. sendt: a mail server has taken it. aktiv: used, or handed over.
  add column tilstand text not null default 'aktiv' check (tilstand in ('ventende', 'sendt', 'aktiv')),
  -- The errand that mails it; keys of later errands replace those of earlier ones.
  add column levering bigint,
  -- It was replaced and works until then; revocation, in tilbakekalt_at, is at once and for ever.
  add column slutter_at timestamptz;
update api_nokkel set kjede = id;
alter table api_nokkel alter column kjede set not null;

create index api_nokkel_kjede on api_nokkel (kjede);
create index api_nokkel_utloper on api_nokkel (utloper_at);
create index api_nokkel_epost on api_nokkel (lower(epost));
create unique index api_nokkel_en_aktiv on api_nokkel (kjede)
  where tilstand = 'aktiv' and tilbakekalt_at is null and slutter_at is null;

-- Whoever remembers keys is told when one ends sooner or later than it did, whatever statement did it.
create function meld_nokkel_endret() returns trigger language plpgsql as $$
begin
  perform pg_notify('nokkel_endret', new.id);
  return null;
end $$;

create trigger nokkel_endret after update on api_nokkel for each row
  when (old.tilbakekalt_at is distinct from new.tilbakekalt_at
     or old.slutter_at is distinct from new.slutter_at
     or old.utloper_at is distinct from new.utloper_at
     or old.hash is distinct from new.hash)
  execute function meld_nokkel_endret();

create table ordre (
  id text primary key check (id ~ '^[0-9a-z]{10}$'),
  -- SHA-256 of the token in the address of the buyer's page. The token itself is in that address alone.
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- As the payment is called at Vipps.
  referanse text not null unique check (referanse ~ '^[a-zA-Z0-9-]{8,50}$'),
  -- What they mean stands in src/sales/order.ts.
  tilstand text not null check (tilstand in ('opprettet', 'reservert', 'avvist', 'sendt', 'fullfort', 'tapt', 'kanselleres',
    'kansellert', 'avbrutt', 'utlopt', 'avvik')),
  epost text,
  miljo text not null check (miljo in ('live', 'test')),
  produkt text not null,
  belop_ore integer not null check (belop_ore >= 100),
  valuta text not null check (valuta ~ '^[A-Z]{3}$'),
  -- The chain whose next year is bought, and the end of its present one.
  fornyer text,
  fornyer_fra timestamptz check ((fornyer is null) = (fornyer_fra is null)),
  vilkaar_godtatt_at timestamptz not null,
  laget_at timestamptz not null,
  endret_at timestamptz not null,
  -- Where the buyer pays, while that can be done.
  betalingslenke text,
  -- When the payment is to be read back next; null when there is no need.
  neste_sjekk_at timestamptz,
  psp_referanse text,
  reservert_at timestamptz,
  garantert_til timestamptz,
  -- Until when another address may be given.
  adressefrist_at timestamptz,
  -- How many addresses a key has been on its way to.
  leveringer integer not null default 0,
  trukket_at timestamptz,
  -- A code: why it came to this.
  grunn text,
  -- A code: what an operator has to look at. Null when there is nothing.
  alarm text
);

create index ordre_neste_sjekk on ordre (neste_sjekk_at) where neste_sjekk_at is not null;
create index ordre_opprettet on ordre (lower(epost)) where tilstand = 'opprettet';
create index ordre_fornyer on ordre (fornyer) where fornyer is not null;
create index ordre_alarm on ordre (endret_at) where alarm is not null;

-- What is to be done outside the database: written in the same transaction as what it follows from, and done until it is.
create table utboks (
  id bigint generated always as identity primary key,
  slag text not null check (slag in ('lever', 'trekk', 'kanseller', 'kvittering', 'lenke', 'erstatt', 'paaminn')),
  -- An order, or a chain of keys; the chain of an order's keys is called as the order.
  gjelder text not null check (gjelder ~ '^[0-9A-Za-z]{10,12}$'),
  -- One of a kind and number for each: whoever asks twice gets one.
  nr integer not null,
  nokkel text references api_nokkel (id),
  grunn text check (grunn in ('tapt', 'lekket')),
  laget_at timestamptz not null,
  forsok integer not null default 0,
  -- How often the other side has refused it for good under its name: it is asked under another then.
  omgang integer not null default 0,
  -- Not before this; put ahead while somebody is at it.
  neste_at timestamptz not null,
  ferdig_at timestamptz,
  utfall text,
  unique (slag, gjelder, nr),
  check ((ferdig_at is null) = (utfall is null))
);

create index utboks_neste on utboks (neste_at) where ferdig_at is null;
create index utboks_gjelder on utboks (gjelder) where ferdig_at is null;

-- What Vipps has told, once each. It is a signal and proves nothing: the payment is read back.
create table betalingshendelse (
  referanse text not null,
  navn text not null,
  psp_referanse text not null,
  -- Null: of no order of ours, put aside.
  ordre text references ordre (id),
  mottatt_at timestamptz not null,
  primary key (referanse, navn, psp_referanse)
);

create index betalingshendelse_mottatt on betalingshendelse (mottatt_at);

-- Addresses that asked for a new key, known here or not, until somebody has looked.
create table erstatningsonske (
  id bigint generated always as identity primary key,
  epost text not null,
  grunn text not null check (grunn in ('tapt', 'lekket')),
  spurt_at timestamptz not null
);

-- SHA-256 of the tokens in mailed links.
create table nokkellenke (
  hash bytea primary key check (length(hash) = 32),
  slag text not null check (slag in ('erstatt', 'forny')),
  nokkel text not null references api_nokkel (id),
  grunn text check (grunn in ('tapt', 'lekket')),
  gyldig_til timestamptz not null,
  brukt_at timestamptz
);

create index nokkellenke_gyldig_til on nokkellenke (gyldig_til);

-- The books: numbered without gaps, and without the buyer's address, which is kept for a shorter time.
create table bilag (
  nummer bigint primary key,
  ordre text not null unique,
  betalingsreferanse text not null,
  dato timestamptz not null,
  produkt text not null,
  belop_ore integer not null,
  valuta text not null,
  mva text not null,
  selger text not null
);
