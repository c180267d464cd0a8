import { type Manifest, readManifest } from "./manifest";
import { archiveOf } from "./names";
import type { ArchiveStorage } from "./storage";

export type ListedArchive =
  | { name: string; manifest: Manifest; sha256: string; error: null }
  | { name: string; manifest: null; sha256: null; error: string };

/** All archives of a place by their names, which begin with their time. One that cannot be read is listed with the reason. */
export async function listArchives(storage: ArchiveStorage): Promise<ListedArchive[]> {
  const names: string[] = [];
  for await (const file of storage.list()) {
    const name = archiveOf(file);
    if (name !== null) names.push(name);
  }
  const listed: ListedArchive[] = [];
  for (const name of names.sort()) {
    try {
      listed.push({ name, ...(await readManifest(storage, name)), error: null });
    } catch (error) {
      listed.push({ name, manifest: null, sha256: null, error: (error as Error).message });
    }
  }
  return listed;
}
