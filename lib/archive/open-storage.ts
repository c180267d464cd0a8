import type { ArchivePlace } from "./config";
import { FolderStorage } from "./folder-storage";
import type { ArchiveStorage } from "./storage";

/** Opens what WEIR_ARCHIVE_URL names. The S3 client is large, so it is loaded only where it is used. */
export async function openStorage(place: ArchivePlace): Promise<ArchiveStorage> {
  if (place.kind === "folder") return new FolderStorage(place.path);
  const { S3Storage } = await import("./s3-storage");
  return new S3Storage(place);
}
