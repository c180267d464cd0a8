import type { ActionResult } from "@/lib/http/action";
import type { OptionChange, OptionVersion } from "@/lib/option/types";

/** `stored`: what is saved now, also where it is somebody else's and the change was refused; null where that is not known. */
export type SaveResult = { key: string; message: string | null; stored: string | null };
export type History = { items: OptionVersion[]; next: number | null };

/** `message` is null when the server accepted the mail; `answer` is what it said. */
export type TestMailResult = { to: string; answer: string; message: string | null };

export type SettingActions = {
  saveOptions: (input: { changes: OptionChange[] }) => Promise<ActionResult<SaveResult[]>>;
  loadHistory: (input: { key: string; before: number | null }) => Promise<ActionResult<History>>;
  revertOption: (input: { id: number; newest?: number | undefined }) => Promise<ActionResult<void>>;
  countLogs: (input: { until: number }) => Promise<ActionResult<{ count: number; more: boolean }>>;
  clearLogs: (input: { until: number }) => Promise<ActionResult<{ count: number; isArchiving: boolean }>>;
  sendTestMail: (input: Record<string, never>) => Promise<ActionResult<TestMailResult>>;
};
