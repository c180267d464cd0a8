import type { Metadata } from "next";
import { getLocale, getTranslations } from "next-intl/server";
import { Fragment } from "react";
import { refusalTopics, type Topic } from "@/lib/relay/base/refusals";

/** Whose formats tell a refusal in their own way. */
const MAKERS = ["OpenAI", "Anthropic", "Google"];

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("refusal.page"))("title") };
}

/** What each refusal of the API means and what mends it; refusals link to their part of it. */
export default async function ErrorsPage() {
  const [locale, t] = await Promise.all([getLocale(), getTranslations("refusal.page")]);
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-6 p-4 md:p-6">
      <header>
        <h1 dir="auto" className="font-semibold text-lg tracking-tight">
          {t("title")}
        </h1>
        <p className="mt-0.5 text-muted-foreground text-sm">{t("lead")}</p>
      </header>
      {refusalTopics(locale).map((topic) => (
        <TopicPart key={topic.id} topic={topic} />
      ))}
    </div>
  );
}

/** A line may end after each word of a code. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=_)/).map((word, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words of a code stay where they are
    <Fragment key={at}>
      {word}
      <wbr />
    </Fragment>
  ));
}

async function TopicPart({ topic: { id, title, cause, mend, codes } }: { topic: Topic }) {
  const t = await getTranslations("refusal.page");
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="scroll-mt-20 rounded-lg border p-4 target:border-primary"
    >
      <h2 id={`${id}-title`} dir="auto" className="font-medium">
        <a href={`#${id}`}>{title}</a>
      </h2>
      <dl className="mt-2 grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[6rem_1fr]">
        <dt className="text-muted-foreground">{t("cause")}</dt>
        <dd dir="auto">{cause}</dd>
        <dt className="text-muted-foreground">{t("mend")}</dt>
        <dd dir="auto">{mend}</dd>
      </dl>
      <div className="mt-3 overflow-x-auto">
        <table className="w-full text-left text-sm sm:table-fixed">
          <thead className="text-muted-foreground text-xs">
            <tr>
              <th className="pr-2 font-normal sm:w-2/5 sm:pr-4">{t("code")}</th>
              {MAKERS.map((maker) => (
                <th key={maker} className="pr-2 font-normal sm:pr-4">
                  {maker}
                </th>
              ))}
              <th className="whitespace-nowrap font-normal">{t("repeat")}</th>
            </tr>
          </thead>
          <tbody>
            {codes.map(({ code, type, status, anthropicStatus, mayWait }) => (
              <tr key={`${code} ${status}`}>
                <td dir="auto" className="pr-2 font-mono text-xs wrap-anywhere sm:pr-4">
                  <Breakable text={code || type} />
                </td>
                <td dir="auto" className="pr-2 tabular-nums sm:pr-4">
                  {status}
                </td>
                <td dir="auto" className="pr-2 tabular-nums sm:pr-4">
                  {anthropicStatus}
                </td>
                <td dir="auto" className="pr-2 tabular-nums sm:pr-4">
                  {status}
                </td>
                <td dir="auto" className="whitespace-nowrap">
                  {mayWait ? t("wait") : t("never")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
