/** What the holder of a token may do: look; look and act; everything, including what cannot be undone. */
export const ROLES = ["read", "operate", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** A role may do all that the roles before it may. */
export const mayAct = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);
