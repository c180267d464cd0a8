import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { readLogs } from "./batch-queries";
import { type ExportFormat, logWriter } from "./export";
import type { LogSearch } from "./schemas";

export type LogExport = { contentType: string; body: ReadableStream<Uint8Array> };

/**
 * Every row of a search as a stream of text. The next batch is read only when the receiver has taken the last one, and
 * none once it is gone. An administrator's export is kept in the audit log. Throws forbidden as listLogs does; what fails
 * later breaks the stream off, so that nobody takes a part for the whole.
 */
export async function exportLogs(ctx: ServiceContext, search: LogSearch, format: ExportFormat): Promise<LogExport> {
  const isAdmin = requireRole(ctx, ROLE.user).role >= ROLE.admin;
  const { contentType, head, write } = logWriter(format, isAdmin);
  const batches = readLogs(ctx, search);
  // The first batch is read before the answer begins: what is refused is still refused with a message.
  let next = await batches.next();
  if (isAdmin) {
    const { page: _page, pageSize: _size, ...filters } = search;
    await ctx.db.transaction((tx) =>
      writeAudit(tx, ctx, { action: "log.export", subject: "log", after: { format, ...filters } }),
    );
  }
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => (head === "" ? undefined : controller.enqueue(encoder.encode(head))),
      async pull(controller) {
        if (next.done) return controller.close();
        const { value } = next;
        next = await batches.next();
        controller.enqueue(encoder.encode(write(value)));
      },
      async cancel() {
        await batches.return();
      },
    },
    { highWaterMark: 1 },
  );
  return { contentType, body };
}
