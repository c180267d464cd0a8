import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processOwner } from "@/server/postgres-binaries";
import { needPackages } from "../operations/packages";
import { type Part, restartable } from "./part";
import { startProgram } from "./program";

type Files = { ini: string; userlist: string };

/** PgBouncer with these files; `userlist.txt` is in `folder`. It refuses to run as root. */
export function pooler(folder: string, { ini, userlist }: Files): Part {
  needPackages({ "/usr/sbin/pgbouncer": "pgbouncer" });
  const owner = processOwner();
  const home = join(folder, "pgbouncer");
  mkdirSync(home);
  const [iniFile, userFile] = [join(home, "pgbouncer.ini"), join(folder, "userlist.txt")];
  writeFileSync(iniFile, ini, { mode: 0o600 });
  writeFileSync(userFile, userlist, { mode: 0o600 });
  if (owner) for (const path of [home, iniFile, userFile]) chownSync(path, owner.uid, owner.gid);
  return restartable("pgbouncer", () => startProgram("/usr/sbin/pgbouncer", [iniFile], owner ?? {}));
}
