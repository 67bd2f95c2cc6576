-- Notes from which network a test key was asked for. Takes no time.
-- Works from: 0011

-- HMAC-SHA256 of the network with the secret of the installation, gone with the row after a day. Null: asked for by an earlier release.
alter table testnokkelonske add column nettverk bytea check (octet_length(nettverk) = 32);
create index testnokkelonske_nettverk on testnokkelonske (nettverk);
