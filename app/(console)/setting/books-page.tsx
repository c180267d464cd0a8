import { getTranslations } from "next-intl/server";
import { retryRefusedCharges } from "@/components/setting/actions";
import { BooksCheck } from "@/components/setting/books-check";
import { LogStoreCard } from "@/components/setting/log-store-card";
import { RefusedCharges } from "@/components/setting/refused-charges";
import { ReplicaState } from "@/components/setting/replica-state";
import { Texts } from "@/components/shell/texts";
import { listRefusedCharges } from "@/lib/billing/refused-charges-commands";
import { findLastBooksCheck } from "@/lib/books/check-books-queries";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { findLogStoreState } from "@/lib/log-store/state-queries";
import { viewReplica } from "@/lib/replica/view";

/** What the books say, charges that the database refused, and what waits for the log store. */
export async function BooksPage({ ctx }: { ctx: ServiceContext }) {
  const [charges, check, logStore, t] = await Promise.all([
    listRefusedCharges(ctx, consoleDatabase().sql),
    findLastBooksCheck(ctx),
    findLogStoreState(ctx),
    getTranslations("setting.page"),
  ]);
  const replica = viewReplica(ctx);
  return (
    <>
      <h2 dir="auto" className="sr-only">
        {t("books")}
      </h2>
      <Texts of={["setting.refusedCharges"]}>
        <RefusedCharges charges={charges} retry={retryRefusedCharges} />
      </Texts>
      <BooksCheck check={check} />
      <LogStoreCard state={logStore} />
      {replica ? <ReplicaState replica={replica} /> : null}
    </>
  );
}
