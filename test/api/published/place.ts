/** What clients were last told they may rely on. Written by `npm run -s published`, never by hand. */
export const PUBLISHED = 'src/api/published.txt'
