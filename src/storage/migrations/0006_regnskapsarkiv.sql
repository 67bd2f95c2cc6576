-- Creates the archive of annual accounts. Empty afterwards; takes no time.

-- Every filing the service has fetched or been given, each once. A resubmission is a row of its own, with a higher id.
create table regnskapsarkiv (
  -- Nine digits, as in the tables of the shareholder register.
  orgnr integer not null,
  -- SELSKAP or KONSERN as the register says; '' when it does not say.
  regnskapstype text not null,
  fra date not null,
  til date not null,
  -- The register's; 0 for a filing that was imported without one.
  id bigint not null,
  journalnr text,
  valuta text not null,
  kilde text not null check (kilde in ('regnskapsregisteret', 'import')),
  -- When what stands here was fetched or imported. The same filing fetched again does not move it.
  hentet_at timestamptz not null,
  -- What else the register says of the filing: its plan, rules, audit.
  opplysninger jsonb not null,
  -- The figures as they were given, under the register's own names.
  tall jsonb not null,
  -- The figures an imported file had columns for; null when it was the register's own shape.
  felt text[],
  primary key (orgnr, regnskapstype, fra, til, id)
);
