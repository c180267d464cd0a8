const ADMIN = 10;
const ROOT = 100;
const ENABLED = 1;
/** A status that cannot be enabled (A117). It is never stored. */
const GUARDED = 3;

type Subject = { id: number; role: number; status: number; deleted: boolean };

/** The actions to offer in the menu of a row. The server checks again. */
export function allowedVerbs(actor: { id: number; role: number }, row: Subject) {
  const isRoot = actor.role >= ROOT;
  const manageable = !row.deleted && (isRoot || row.role < actor.role);
  const vulnerable = manageable && row.role < ROOT;
  return {
    edit: manageable,
    promote: vulnerable && isRoot && row.role < ADMIN,
    demote: vulnerable && row.role >= ADMIN,
    disable: vulnerable && row.status === ENABLED,
    enable: manageable && row.status !== ENABLED && row.status !== GUARDED,
    deregister: vulnerable,
  };
}
