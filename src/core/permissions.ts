/** Permissions-Policy of every answer: nothing here asks a browser for any of it, and nothing it shows may. */
export const PERMISSIONS = 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'
