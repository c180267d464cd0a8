import { createServer } from "node:net";
import { join } from "node:path";

/** The limit that all systems accept; Linux allows four bytes more. */
const socketPathBytesMax = 103;

/**
 * Returns the folder when PostgreSQL can create its Unix socket there and this account can use it, else "". It cannot
 * when the path is too long, the file system does not support sockets (a folder mounted from another system), this
 * account has no access, or the system is Windows.
 */
export async function socketFolder(folder: string, port: number): Promise<string> {
  // PostgreSQL creates two files; this one has the longer name.
  if (!canHoldSocket(join(folder, `.s.PGSQL.${port}.lock`))) return "";
  return (await canListen(join(folder, `.s.try.${process.pid}`))) ? folder : "";
}

/** Whether a socket can have this path. */
export function canHoldSocket(path: string): boolean {
  return process.platform !== "win32" && Buffer.byteLength(path) <= socketPathBytesMax;
}

function canListen(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    // Closing the server removes the socket file.
    server.listen(path, () => server.close(() => resolve(true)));
  });
}
