// Package record has what the records of all commands share: how a [Record] is written with its
// page, figures and tables and read again, cells of tables, pictures of vectors, and the program,
// machine, time and memory that a number came from.
//
// A record is data. Its page is a function of the record and of the arrays beside it, so that it
// can be drawn again without weights or datasets. Begin with [Record], [SaveRecord] and
// [ReadRecord].
package record
