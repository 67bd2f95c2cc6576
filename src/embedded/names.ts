/** PostgreSQL's superuser, and the role the service uses. */
export const OWNER = 'oppslag'
export const ROLE = 'oppslag_tjeneste'
/** The version this release runs. */
export const MAJOR = '18'
