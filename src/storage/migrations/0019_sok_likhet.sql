-- Adds the letters of each word to the search index, and one place for the texts of codes. Some seconds where there is an index.
-- Works from: 0011

-- A bit for each letter from a to z that is in the word: words that differ in two letters differ in four bits at most.
alter table sok_ord add column bokstaver integer generated always as (
    ((strpos(ord, 'a') > 0)::integer << 0) | ((strpos(ord, 'b') > 0)::integer << 1) |
    ((strpos(ord, 'c') > 0)::integer << 2) | ((strpos(ord, 'd') > 0)::integer << 3) |
    ((strpos(ord, 'e') > 0)::integer << 4) | ((strpos(ord, 'f') > 0)::integer << 5) |
    ((strpos(ord, 'g') > 0)::integer << 6) | ((strpos(ord, 'h') > 0)::integer << 7) |
    ((strpos(ord, 'i') > 0)::integer << 8) | ((strpos(ord, 'j') > 0)::integer << 9) |
    ((strpos(ord, 'k') > 0)::integer << 10) | ((strpos(ord, 'l') > 0)::integer << 11) |
    ((strpos(ord, 'm') > 0)::integer << 12) | ((strpos(ord, 'n') > 0)::integer << 13) |
    ((strpos(ord, 'o') > 0)::integer << 14) | ((strpos(ord, 'p') > 0)::integer << 15) |
    ((strpos(ord, 'q') > 0)::integer << 16) | ((strpos(ord, 'r') > 0)::integer << 17) |
    ((strpos(ord, 's') > 0)::integer << 18) | ((strpos(ord, 't') > 0)::integer << 19) |
    ((strpos(ord, 'u') > 0)::integer << 20) | ((strpos(ord, 'v') > 0)::integer << 21) |
    ((strpos(ord, 'w') > 0)::integer << 22) | ((strpos(ord, 'x') > 0)::integer << 23) |
    ((strpos(ord, 'y') > 0)::integer << 24) | ((strpos(ord, 'z') > 0)::integer << 25)
  ) stored;

-- What the register calls its codes: once, and not in each of two million rows. `sok_foretak.form_tekst` and `naering_tekst`
-- are left for earlier releases, which read them; they are not filled any more.
create table sok_tekst (
  art text not null check (art in ('form', 'naering')),
  kode text not null,
  tekst text not null,
  primary key (art, kode)
);

-- The index that is there was made without: another is made as soon as there is a worker.
update sok_bygg set enheter_etag = null, underenheter_etag = null;
