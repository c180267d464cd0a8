import { nowSeconds } from "@/lib/clock";
import { AppError } from "@/lib/errors";
import type { ExportFile } from "@/lib/export/stream-rows";
import { EXPORT_FORMATS, type ExportFormat } from "@/lib/export/write-rows";
import { failed, type SessionContext, sessionContext } from "./session-context";

/** Replies with a file for the signed-in user. `?format=` chooses the format; `write` produces the content. */
export async function exportReply(
  request: Request,
  name: string,
  write: (ctx: SessionContext, params: URLSearchParams, format: ExportFormat) => Promise<ExportFile>,
): Promise<Response> {
  try {
    const ctx = await sessionContext(request);
    const { searchParams } = new URL(request.url);
    const format = EXPORT_FORMATS.find((known) => known === searchParams.get("format"));
    if (!format) throw new AppError("invalid", "fieldInvalid", { field: "format" });
    const { contentType, body } = await write(ctx, searchParams, format);
    const day = new Date(nowSeconds() * 1000).toISOString().slice(0, 10);
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "content-disposition": `attachment; filename="${name}-${day}.${format}"`,
        "cache-control": "no-store, no-transform",
        "x-content-type-options": "nosniff",
      },
    });
  } catch (error) {
    return failed(request, error);
  }
}
