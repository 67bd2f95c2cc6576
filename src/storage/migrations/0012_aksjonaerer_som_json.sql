-- Gives the lists of holders the type 0005 gives them, in databases made while it gave another. Takes no time elsewhere.
-- Works from: 0011

do $$
begin
  if exists (
    select from pg_attribute
    where attrelid = 'aksjebok'::regclass and attname = 'storste' and atttypid = 'jsonb'::regtype
  ) then
    alter table aksjebok alter column storste type json using storste::json;
    alter table aksjebok_del alter column innehavere type json using innehavere::json;
  end if;
end
$$;
