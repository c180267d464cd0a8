import { getSite } from "@/app/site";
import { BooksCheck } from "@/components/setting/books-check";
import { OptionCards } from "@/components/setting/option-cards";
import { RefusedCharges } from "@/components/setting/refused-charges";
import { SettingSearch } from "@/components/setting/setting-search";
import { Texts } from "@/components/shell/texts";
import { builtInFacts, builtInPrices } from "@/lib/billing/built-in-prices";
import { listRefusedCharges } from "@/lib/billing/refused-charges-commands";
import { findLastBooksCheck } from "@/lib/books/check-books-queries";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { type OptionTab, SETTING_CARDS, tabOf } from "@/lib/option/cards";
import type { OptionView } from "@/lib/option/types";
import {
  clearLogs,
  countLogs,
  loadHistory,
  retryRefusedCharges,
  revertOption,
  saveOptions,
  sendTestMail,
} from "./actions";

const actions = { clearLogs, countLogs, loadHistory, revertOption, saveOptions, sendTestMail };

type OptionTabProps = { ctx: ServiceContext; tab: OptionTab; views: readonly OptionView[] };

export async function OptionTabPanel({ ctx, tab, views }: OptionTabProps) {
  const site = await getSite();
  const options = views.filter((view) => tabOf(view.card) === tab);
  const facts = {
    actions,
    savedAddress: views.find((view) => view.key === "ServerAddress")?.value ?? "",
    publicAddress: site.serverAddress,
    quotaPerUnit: site.quotaDisplay.quotaPerUnit,
    builtInPrices: tab === "operation" ? builtInPrices() : {},
    builtInFacts: tab === "operation" ? builtInFacts() : {},
  };
  const charges = tab === "operation" ? await listRefusedCharges(ctx, consoleDatabase().sql) : [];
  return (
    <Texts of={["audit.change", "meter", "option", "paging", "pricing", "setting", "timeLimit.name"]}>
      <OptionCards key={tab} cards={SETTING_CARDS[tab]} options={options} facts={facts} />
      <RefusedCharges charges={charges} retry={retryRefusedCharges} />
      {tab === "operation" ? <BooksCheck check={await findLastBooksCheck(ctx)} /> : null}
    </Texts>
  );
}

export function OptionSearch({ views }: { views: readonly OptionView[] }) {
  return (
    <Texts of={["option", "setting"]}>
      <SettingSearch options={views.map(({ key, card }) => ({ key, card }))} />
    </Texts>
  );
}
