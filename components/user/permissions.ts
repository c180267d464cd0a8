const ADMIN = 10;
const ROOT = 100;
const ENABLED = 1;
/** Never stored; the status that cannot be enabled (A117). */
const GUARDED = 3;

type Subject = { id: number; role: number; status: number; deleted: boolean };

/** Which verbs make sense for a row, so that the menu offers no other. The server decides again. */
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
