import { clientOf } from './client.ts'
import type { Cluster } from './cluster.ts'
import { OWNER, ROLE } from './names.ts'

/** Whoever prepares the role holds this. The number means nothing but must never change. */
const LOCK = 7_202_511_210_007
/** Taking over what another release made is a change of the catalogue for each of its objects. */
const STATEMENT_TIMEOUT_MS = 60_000

/**
 * Makes the role the service uses, which may do in its own database what it likes and nothing else, and hands it all that is
 * there: clusters of earlier releases were used by PostgreSQL's superuser. Does nothing to a role that has all of it.
 *
 * @throws what PostgreSQL refuses, or that it can not be reached
 */
export async function prepareRole(cluster: Cluster): Promise<void> {
  const client = clientOf(cluster, OWNER, {
    application_name: 'oppslag role',
    statement_timeout: STATEMENT_TIMEOUT_MS,
  })
  try {
    await client.connect()
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    const { rows } = await client.query('select from pg_roles where rolname = $1', [ROLE])
    if (rows.length === 0) await client.query(`create role ${ROLE}`)
    await client.query(`alter role ${ROLE} login password ${client.escapeLiteral(cluster.password)}`)
    // To see where the data lie, and who else is connected, as whom ever.
    await client.query(`grant pg_monitor to ${ROLE}`)
    await client.query(HAND_OVER)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/** Everything of ours that is the superuser's. What belongs to a table goes with it; PostgreSQL's own stays. */
const HAND_OVER = `
do $$
declare
  each record;
begin
  for each in
    select format('alter database %I owner to ${ROLE}', datname) as statement
    from pg_database where datname = current_database() and pg_get_userbyid(datdba) = '${OWNER}'
    union all
    select format('alter schema %I owner to ${ROLE}', nspname)
    from pg_namespace where pg_get_userbyid(nspowner) = '${OWNER}'
      and nspname !~ '^pg_' and nspname <> 'information_schema'
    union all
    select format('alter %s %s owner to ${ROLE}', case relkind when 'S' then 'sequence' when 'v' then 'view'
        when 'm' then 'materialized view' else 'table' end, c.oid::regclass)
    from pg_class c where relkind in ('r', 'p', 'S', 'v', 'm') and ${isOurs('relnamespace', 'relowner')}
      and not exists (select from pg_depend where objid = c.oid and classid = 'pg_class'::regclass
        and refclassid = 'pg_class'::regclass and deptype in ('a', 'i') and c.relkind = 'S')
    union all
    select format('alter routine %s owner to ${ROLE}', oid::regprocedure)
    from pg_proc where ${isOurs('pronamespace', 'proowner')}
    union all
    select format('alter type %s owner to ${ROLE}', oid::regtype)
    from pg_type where typtype in ('e', 'd', 'r') and ${isOurs('typnamespace', 'typowner')}
  loop
    execute each.statement;
  end loop;
end $$`

function isOurs(schema: string, owner: string): string {
  return `pg_get_userbyid(${owner}) = '${OWNER}' and ${schema}::regnamespace::text !~ '^(pg_|information_schema)'`
}
