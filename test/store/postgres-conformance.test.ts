/**
 * The store in PostgreSQL does what the interfaces promise: it passes the same suites as the SQLite store.
 */
import { afterAll } from 'vitest';
import { describeNeeding } from '../needs.ts';
import { layerRepositoryConformance } from './conformance/layers.ts';
import { offerRepositoryConformance } from './conformance/offers.ts';
import { paymentRepositoryConformance } from './conformance/payments.ts';
import { endPlaces, postgresql } from './conformance/postgres.ts';
import { recordRepositoryConformance } from './conformance/records.ts';
import { runeRepositoryConformance } from './conformance/runes.ts';
import { POSTGRES_PROGRAMS } from './postgres-server.ts';

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'the store in PostgreSQL', () => {
  afterAll(endPlaces);
  layerRepositoryConformance(postgresql(({ layers }) => layers));
  offerRepositoryConformance(postgresql(({ offers }) => offers));
  paymentRepositoryConformance(postgresql(({ payments }) => payments));
  recordRepositoryConformance(postgresql(({ records }) => records));
  runeRepositoryConformance(postgresql(({ runes }) => runes));
});
