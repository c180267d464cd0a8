import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { type LoadedService, startLoadedService } from "./loaded-service";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres";

type Disk = { fill: () => void; free: () => void };

type TroublePlace = LoadedService & {
  postgres: OwnPostgres;
  /** Where `smallDisk` says so; else absent. */
  disk?: Disk | undefined;
};

type TroubleSettings = {
  main: string;
  name: string;
  /** Of PostgreSQL. */
  settings?: string[];
  /** Whether the service gives back by itself what it reserved; else it is stopped at once. */
  isIdleAwaited?: boolean;
  /** What is on a small disk of its own: PostgreSQL's data, or the journal. */
  smallDisk?: { of: "database" | "journal"; megabytes: number };
  /** What stands between the service and PostgreSQL: returns the service's own variables. */
  through?: (postgres: OwnPostgres, folder: string, ends: (() => unknown)[]) => Promise<Record<string, string>>;
};

/** Runs `test` with a PostgreSQL and a service of its own under load, and removes everything afterwards. */
export async function inTrouble(
  settings: TroubleSettings,
  test: (place: TroublePlace) => Promise<void>,
): Promise<void> {
  const folder = createRunFolder("trouble");
  chmodSync(folder, 0o711);
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    await test(await startPlace(settings, folder, ends));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startPlace(
  { settings = [], smallDisk, through, ...service }: TroubleSettings,
  folder: string,
  ends: (() => unknown)[],
): Promise<TroublePlace> {
  const [own, journal] = [join(folder, "own"), join(folder, "journal")];
  for (const path of [own, journal]) mkdirSync(path);
  const disk = smallDisk && mountDisk(smallDisk.of === "database" ? own : journal, smallDisk.megabytes, ends);
  const postgres = await startOwnPostgres(own, settings);
  ends.push(() => postgres.stop());
  const env = (await through?.(postgres, folder, ends)) ?? {};
  const loaded = await startLoadedService({ ...service, folder, url: postgres.url, env }, ends);
  return { ...loaded, postgres, disk };
}

function mountDisk(path: string, megabytes: number, ends: (() => unknown)[]): Disk {
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", path], {
    encoding: "utf8",
  });
  expect(mounted.stderr, "needs root: mount -t tmpfs").toBe("");
  ends.push(() => spawnSync("umount", [path]));
  const filler = join(path, "filler");
  return {
    fill() {
      const file = openSync(filler, "w");
      for (const size of [1 << 20, 1 << 12]) fillBy(file, Buffer.alloc(size));
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
  };
}

function fillBy(file: number, part: Buffer): void {
  try {
    for (;;) writeSync(file, part);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
