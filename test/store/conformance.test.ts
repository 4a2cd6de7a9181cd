/**
 * Every store of layers, offers, payments and runes does what its interface promises. The suites receive an
 * implementation, and use only its interface. A further database needs only one more line here.
 */
import { afterAll } from 'vitest';
import { MEMORY, temporaryDirectory } from '../rpc/support.ts';
import { layersInMemory, offersInMemory, paymentsInMemory, runesInMemory } from './conformance/in-memory.ts';
import { layerRepositoryConformance } from './conformance/layers.ts';
import { offerRepositoryConformance } from './conformance/offers.ts';
import { paymentRepositoryConformance } from './conformance/payments.ts';
import { recordRepositoryConformance } from './conformance/records.ts';
import { runeRepositoryConformance } from './conformance/runes.ts';
import { sqlite, sqliteInThread } from './conformance/sqlite.ts';

const directory = temporaryDirectory(MEMORY);
afterAll(() => directory.remove());

layerRepositoryConformance(sqlite(directory.path, ({ layers }) => layers));
layerRepositoryConformance(sqliteInThread(directory.path, ({ layers }) => layers));
layerRepositoryConformance(layersInMemory);
offerRepositoryConformance(sqlite(directory.path, ({ offers }) => offers));
offerRepositoryConformance(sqliteInThread(directory.path, ({ offers }) => offers));
offerRepositoryConformance(offersInMemory);
paymentRepositoryConformance(sqlite(directory.path, ({ payments }) => payments));
paymentRepositoryConformance(sqliteInThread(directory.path, ({ payments }) => payments));
paymentRepositoryConformance(paymentsInMemory);
recordRepositoryConformance(sqlite(directory.path, ({ records }) => records));
recordRepositoryConformance(sqliteInThread(directory.path, ({ records }) => records));
runeRepositoryConformance(sqlite(directory.path, ({ runes }) => runes));
runeRepositoryConformance(sqliteInThread(directory.path, ({ runes }) => runes));
runeRepositoryConformance(runesInMemory);
