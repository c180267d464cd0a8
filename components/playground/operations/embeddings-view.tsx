"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { CopyButton } from "@/components/form/copy-button";
import type { Embedded } from "./embeddings";

const CELL = "border px-2 py-1.5 text-left align-top";

/** The first numbers of each vector, and the similarity of the texts. */
export function EmbeddingsView({ result }: { result: Embedded }) {
  const t = useTranslations("playground");
  const { texts, vectors, similarity } = result;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 dir="auto" className="font-medium">
          {t("embeddings.vectors")}
        </h2>
        {vectors ? (
          <CopyButton text={JSON.stringify(vectors)}>{t("embeddings.copy")}</CopyButton>
        ) : (
          <span className="text-muted-foreground text-xs">{t("embeddings.notKept")}</span>
        )}
      </div>
      <Scrolling label={t("embeddings.vectors")}>
        <table className="w-full border-collapse text-xs">
          <thead className="text-muted-foreground">
            <tr>
              <th className={CELL}>#</th>
              <th className={CELL}>{t("embeddings.text")}</th>
              <th className={CELL}>{t("embeddings.dimensions")}</th>
              <th className={CELL}>{t("embeddings.first")}</th>
            </tr>
          </thead>
          <tbody>
            {texts.map(({ text, dimensions, first }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same text may stand there twice
              <tr key={at}>
                <td dir="auto" className={`${CELL} tabular-nums`}>
                  {at + 1}
                </td>
                <td dir="auto" className={`${CELL} min-w-32 max-w-64 break-words`}>
                  {text}
                </td>
                <td dir="auto" className={`${CELL} tabular-nums`}>
                  {dimensions}
                </td>
                <td dir="auto" className={`${CELL} min-w-64 font-mono`}>
                  {first.map((value) => value.toFixed(4)).join(", ")}
                  {dimensions > first.length ? ", …" : ""}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {similarity.length > 1 ? <Similarity result={result} /> : null}
    </div>
  );
}

function Similarity({ result: { texts, similarity } }: { result: Embedded }) {
  const t = useTranslations("playground");
  return (
    <>
      <h2 dir="auto" className="font-medium">
        {t("embeddings.similarity")}
      </h2>
      <Scrolling label={t("embeddings.similarity")}>
        <table className="border-collapse text-xs">
          <caption className="sr-only">{t("embeddings.similarity")}</caption>
          <thead className="text-muted-foreground">
            <tr>
              <th scope="col" className={CELL}>
                {t("embeddings.text")}
              </th>
              {similarity.map((_, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                <th key={at} scope="col" className={CELL} title={texts[at]?.text}>
                  {at + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {similarity.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              <tr key={at}>
                <th dir="auto" scope="row" className={`${CELL} max-w-40 truncate font-normal`} title={texts[at]?.text}>
                  {at + 1}. {texts[at]?.text}
                </th>
                {row.map((value, other) => (
                  <td
                    dir="auto"
                    // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its place
                    key={other}
                    className={`${CELL} tabular-nums`}
                    style={{
                      backgroundColor: `color-mix(in srgb, var(--color-primary) ${Math.round(Math.max(0, value) * 25)}%, transparent)`,
                    }}
                  >
                    {value.toFixed(3)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </>
  );
}

function Scrolling({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="min-w-0 overflow-x-auto">
      {children}
    </section>
  );
}
