import { getTranslations } from "next-intl/server";
import { toMovementKind } from "@/components/topup/ledger-kind";
import type { OptionValues } from "@/lib/option/registry";
import type { StatementText, StatementWording } from "@/lib/topup/statement-wording";

/** The texts of a statement in the language of the request, with the operator's name. */
export async function statementWording(options: OptionValues): Promise<StatementWording> {
  const [t, kinds] = await Promise.all([getTranslations("statement"), getTranslations("topup.kinds")]);
  return {
    issuer: options.StatementIssuer.length > 0 ? options.StatementIssuer : [options.SystemName || "Weir"],
    taxLine: options.StatementTaxLine,
    text: (key: StatementText) => t(key),
    kindOf: (kind) => {
      const known = toMovementKind(kind);
      return known ? kinds(known) : kind;
    },
    together: (count) => t("together", { count }),
    lateOf: (day) => (day === null ? t("lateEarlier") : t("lateOf", { day })),
    period: (from, until) => t("periodOf", { from, until }),
    pageOf: (page, pages) => t("pageOf", { page: String(page), pages: String(pages) }),
  };
}
