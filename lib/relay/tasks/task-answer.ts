import type { Report } from "../answers/answer";
import { reportedRefusal, unreadableRefusal } from "../answers/refusal";
import { parseJsonObject } from "../dialects/json-text";
import { DocumentAnswer } from "../operations/documents/document-answer";
import type { Secrets } from "../secrets";
import { type NewTask, newTask, type Submitting } from "./new-task";
import type { TaskUpstream, TaskWire } from "./platform";

/** An upstream's answer to a submission: the task that it has taken. */
export class TaskAnswer extends DocumentAnswer {
  private readonly made: { task: NewTask | null };

  constructor(given: Submitting, wire: TaskWire<unknown>, upstream: TaskUpstream<unknown>, secrets: Secrets) {
    const made: { task: NewTask | null } = { task: null };
    super((body) => {
      const text = body.toString("utf8");
      const json = parseJsonObject(text);
      if (!json) throw unreadableRefusal(body);
      const submitted = upstream.readSubmitted(json, given.submission.request);
      const { status } = submitted.state;
      // Nobody asks about a task that has ended, or that has no name: it could never be refunded.
      if (status === "FAILURE" || (submitted.upstreamId === "" && status !== "SUCCESS")) throw reportedRefusal(text);
      made.task = newTask(given, submitted, (part) => secrets.redact(part));
      const rendered = JSON.stringify(wire.renderSubmitted(made.task.task, submitted));
      return { body: Buffer.from(secrets.redact(rendered)), usage: null, meters: null };
    });
    this.made = made;
  }

  override report(): Report {
    const report = super.report();
    return this.made.task ? { ...report, task: this.made.task } : report;
  }
}
