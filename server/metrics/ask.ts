import type { ChildProcess } from "node:child_process";
import { isReport, type Question, type Report } from "./report";

let questions = 0;

/** Null = it did not answer in time, or cannot any more. */
export function askProcess(child: ChildProcess, wantsFamilies: boolean, waitMs: number): Promise<Report | null> {
  questions += 1;
  const question: Question = { type: "report?", id: questions, wantsFamilies };
  return new Promise((done) => {
    const timer = setTimeout(() => end(null), waitMs);
    function end(report: Report | null): void {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      done(report);
    }
    function onMessage(message: unknown): void {
      if (isReport(message) && message.id === question.id) end(message);
    }
    function onExit(): void {
      end(null);
    }
    child.on("message", onMessage);
    child.once("exit", onExit);
    child.send(question, (error) => {
      if (error) end(null);
    });
  });
}
