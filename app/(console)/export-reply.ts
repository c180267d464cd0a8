import { AppError } from "@/lib/errors";
import type { ExportFile } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { EXPORT_FORMATS, type ExportFormat } from "@/lib/export/write-rows";
import { exportFile } from "@/lib/http/file-reply";
import { failed, type SessionContext, sessionContext } from "./session-context";

/** Replies with a file for the signed-in user. `?format=` chooses the format; `write` produces the content. */
export async function exportReply(
  request: Request,
  name: string,
  write: (
    ctx: SessionContext,
    params: URLSearchParams,
    format: ExportFormat,
    words: ExportWords,
  ) => Promise<ExportFile>,
): Promise<Response> {
  try {
    const ctx = await sessionContext(request);
    const { searchParams } = new URL(request.url);
    const format = EXPORT_FORMATS.find((known) => known === searchParams.get("format"));
    if (!format) throw new AppError("invalid", "fieldInvalid", { field: "format" });
    return await exportFile({ ctx, request, name, format }, (_format, words) =>
      write(ctx, searchParams, format, words),
    );
  } catch (error) {
    return failed(request, error);
  }
}
