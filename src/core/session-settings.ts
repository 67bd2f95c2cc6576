/**
 * What a connection to PostgreSQL is told of itself, whatever the server, the database or the role has been told. By a statement: pg leaves
 * out a limit of 0 where it connects. Of those the server knows: an older one knows fewer.
 */
export function sessionSettings(settings: Readonly<Record<string, string>>): {
  text: string
  values: string[][]
} {
  return {
    text: `select set_config(name, needed, false) from pg_settings
      join unnest($1::text[], $2::text[]) as told (name, needed) using (name)`,
    values: [Object.keys(settings), Object.values(settings)],
  }
}
