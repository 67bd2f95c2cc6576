-- Makes a place for how the registers answered, by quarter of an hour. Empty afterwards; takes no time.
-- Works from: 0011

-- What all processes together were answered by a source in a quarter of an hour, for ninety days: 9,000 rows a source at most.
-- A quarter in which nobody asked has no row. Names no company, no key and no person.
create table kildekvarter (
  kilde text not null,
  kvarter timestamptz not null,
  svar integer not null check (svar >= 0),
  feil integer not null check (feil >= 0),
  forste_svar_at timestamptz,
  siste_svar_at timestamptz,
  forste_feil_at timestamptz,
  siste_feil_at timestamptz,
  primary key (kilde, kvarter),
  check (svar + feil > 0)
);
