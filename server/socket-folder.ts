import { createServer } from "node:net";
import { join } from "node:path";

/** What all systems take; Linux takes four more. */
const socketPathBytesMax = 103;

/**
 * The folder if PostgreSQL may put its Unix socket there and this account may use it, else "": the path is too long, the
 * file system knows no sockets (a folder mounted from another system), the folder is closed to this account, or it is Windows.
 */
export async function socketFolder(folder: string, port: number): Promise<string> {
  if (process.platform === "win32") return "";
  // Of the two files that PostgreSQL makes the one with the longer name.
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${port}.lock`)) > socketPathBytesMax) return "";
  return (await canListen(join(folder, `.s.try.${process.pid}`))) ? folder : "";
}

function canListen(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    // Closing removes the file.
    server.listen(path, () => server.close(() => resolve(true)));
  });
}
