// Package record contains what the records of all commands share: writing a [Record] with its page, figures and tables
// and reading it again, table cells, pictures of vectors, and the program, machine, time and memory with which a
// number was computed.
//
// A record is data. Its page is a function of the record and of the arrays beside it, so that it can be drawn again
// without weights or datasets. Begin with [Record], [SaveRecord] and [ReadRecord].
package record
