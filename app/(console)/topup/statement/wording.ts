import { toMovementKind } from "@/components/topup/ledger-kind";
import type { Locale } from "@/lib/i18n/locale";
import type { OptionValues } from "@/lib/option/registry";
import type { StatementText, StatementWording } from "@/lib/topup/statement-wording";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";

type Texts = Readonly<Record<string, string>>;

const texts: Record<Locale, { statement: Texts; kinds: Texts }> = {
  en: { statement: en.statement, kinds: en.topup.kinds },
  zh: { statement: zh.statement, kinds: zh.topup.kinds },
};

/** The texts of a statement in a language, with the operator's name. */
export function statementWording(options: OptionValues, locale: Locale): StatementWording {
  const { statement, kinds } = texts[locale];
  const t = (key: string, values: Readonly<Record<string, string | number>> = {}): string =>
    (statement[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
  return {
    issuer: options.StatementIssuer.length > 0 ? options.StatementIssuer : [options.SystemName || "Weir"],
    taxLine: options.StatementTaxLine,
    text: (key: StatementText) => t(key),
    kindOf: (kind) => kinds[toMovementKind(kind) ?? ""] ?? kind,
    together: (count) => t(count === 1 ? "togetherOne" : "together", { count }),
    lateOf: (day) => (day === null ? t("lateEarlier") : t("lateOf", { day })),
    period: (from, until) => t("periodOf", { from, until }),
    pageOf: (page, pages) => t("pageOf", { page, pages }),
  };
}
