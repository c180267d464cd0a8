import type { ArchiveStorage } from "@/lib/archive/storage";

/** A storage whose process is killed when so many files are written. Such a process removes nothing. */
export function dyingStorage(storage: ArchiveStorage, stopAfter: number): ArchiveStorage {
  let files = 0;
  return Object.assign(Object.create(storage), {
    async put(name: string, content: AsyncIterable<Uint8Array>) {
      const size = await storage.put(name, content);
      files += 1;
      if (files === stopAfter) throw new Error("killed");
      return size;
    },
    async remove() {},
  });
}
