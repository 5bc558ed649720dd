package table

import (
	"math"
	"time"

	"github.com/ansatz-lab/ansatz/data/table/thrift"
	"github.com/parquet-go/parquet-go"
)

// parquetColumn describes a column in the footer.
type parquetColumn struct {
	name     string
	kind     int64  // the format's Type
	unsigned bool   // whether integers are unsigned
	optional bool   // whether values may be missing
	length   int64  // for parquetFixed: the bytes of a value
	scale    int64  // for decimals: the digits after the point
	layout   string // for dates and times: their text, as a layout of package time; "" for other columns
	ticks    int64  // for times: units per second; 0 for dates, which count days
}

// The values of the format's Type that we support.
const (
	parquetBoolean = 0
	parquetInt32   = 1
	parquetInt64   = 2
	parquetInt96   = 3 // times as older programs write them: a Julian day and nanoseconds within it
	parquetFloat   = 4
	parquetDouble  = 5
	parquetBytes   = 6
	parquetFixed   = 7 // a fixed number of bytes; we support it for decimals only
)

// How dates and times become texts.
const (
	dateText  = "2006-01-02"
	clockText = "15:04:05.999999999"
)

// width returns the number of bytes of a value that is neither a text nor a boolean.
func (c *parquetColumn) width() int64 {
	switch c.kind {
	case parquetInt64, parquetDouble:
		return 8
	case parquetInt96:
		return 12
	case parquetFixed:
		return c.length
	}
	return 4
}

// setType sets the type of a column from its SchemaElement; false if we do not support the type, or its meaning does not
// fit how it is stored. The library trusts the stated meaning even then.
func (c *parquetColumn) setType(e thrift.Struct) bool {
	const lengthField, convertedField, scaleField, logicalField = 2, 6, 7, 10
	c.length = e.Number(lengthField)
	switch logical := e.Record(logicalField); {
	case len(logical) > 0:
		return c.setLogical(logical)
	case e.Has(convertedField):
		return c.setConverted(e.Number(convertedField), e.Number(scaleField))
	case c.kind == parquetInt96:
		c.layout = dateText + " " + clockText
	}
	return c.kind >= parquetBoolean && c.kind <= parquetBytes
}

// setLogical sets the type of a column from the format's LogicalType.
func (c *parquetColumn) setLogical(logical thrift.Struct) bool {
	const text, enum, decimal, date, clock, timestamp, integer, null, json = 1, 4, 5, 6, 7, 8, 10, 11, 12
	if len(logical) != 1 {
		return false
	}
	switch {
	case logical.Has(text), logical.Has(enum), logical.Has(json):
		return c.kind == parquetBytes
	case logical.Has(null):
		return c.kind == parquetInt32
	case logical.Has(decimal):
		return c.setDecimal(logical.Record(decimal).Number(1))
	case logical.Has(date):
		c.layout = dateText
		return c.kind == parquetInt32
	case logical.Has(clock):
		return c.setTime(clockText, logical.Record(clock).Record(2))
	case logical.Has(timestamp):
		return c.setTime(dateText+" "+clockText, logical.Record(timestamp).Record(2))
	case logical.Has(integer):
		i := logical.Record(integer)
		c.unsigned = i.Number(2) == 0
		switch i.Number(1) {
		case 8, 16, 32:
			return c.kind == parquetInt32
		case 64:
			return c.kind == parquetInt64
		}
	}
	return false
}

// setConverted sets the type of a column from the format's ConvertedType, the predecessor of LogicalType.
func (c *parquetColumn) setConverted(converted, scale int64) bool {
	const text, enum, decimal, date, json = 0, 4, 5, 6, 19
	const clockMillis, clockMicros, millis, micros = 7, 8, 9, 10
	const unsigned8, unsigned64, signed8, signed64 = 11, 14, 15, 18
	switch {
	case converted == text, converted == enum, converted == json:
		return c.kind == parquetBytes
	case converted == decimal:
		return c.setDecimal(scale)
	case converted == date:
		c.layout = dateText
		return c.kind == parquetInt32
	case converted == clockMillis, converted == clockMicros:
		return c.setTime(clockText, thrift.Struct{int16(converted - clockMillis + 1): nil})
	case converted == millis, converted == micros:
		return c.setTime(dateText+" "+clockText, thrift.Struct{int16(converted - millis + 1): nil})
	case converted == unsigned64, converted == signed64:
		c.unsigned = converted == unsigned64
		return c.kind == parquetInt64
	case converted >= unsigned8 && converted < signed64:
		c.unsigned = converted < signed8
		return c.kind == parquetInt32
	}
	return false
}

// setTime makes a column hold times in a TimeUnit of the format (milliseconds, microseconds or nanoseconds); false if the
// column's Type cannot store them.
func (c *parquetColumn) setTime(layout string, unit thrift.Struct) bool {
	c.layout = layout
	for field, ticks := range map[int16]int64{1: 1e3, 2: 1e6, 3: 1e9} {
		if unit.Has(field) {
			c.ticks = ticks
		}
	}
	return c.ticks > 0 && (c.kind == parquetInt64 || c.kind == parquetInt32 && c.ticks == 1e3 && layout == clockText)
}

// setDecimal makes a column hold decimals; false if the column's Type cannot store them.
func (c *parquetColumn) setDecimal(scale int64) bool {
	const longest = 32 // bytes, 76 digits
	c.scale = scale
	return scale >= 0 && scale < 3*longest && (c.kind == parquetInt32 || c.kind == parquetInt64 ||
		c.kind == parquetFixed && c.length > 0 && c.length <= longest)
}

// number returns a value of a numeric column as float64.
func (c *parquetColumn) number(v parquet.Value) (x float64) {
	switch k := v.Kind(); {
	case k == parquet.Int32 && c.unsigned:
		x = float64(v.Uint32())
	case k == parquet.Int32:
		x = float64(v.Int32())
	case k == parquet.Int64 && c.unsigned:
		x = float64(v.Uint64())
	case k == parquet.Int64:
		x = float64(v.Int64())
	case k == parquet.Float:
		x = float64(v.Float())
	case k == parquet.FixedLenByteArray:
		for i, b := range v.ByteArray() {
			if x = 256*x + float64(b); i == 0 {
				x = float64(int8(b)) // with the sign
			}
		}
	default:
		x = v.Double()
	}
	if c.scale > 0 {
		x /= math.Pow10(int(c.scale))
	}
	return x
}

// text returns a string, date or time as text.
func (c *parquetColumn) text(v parquet.Value) string {
	const day, julian = 24 * 60 * 60, 2440588 // the Julian day of 1970-01-01
	x, ticks := int64(0), c.ticks
	switch v.Kind() {
	case parquet.Int96:
		at := v.Int96()
		return time.Unix((int64(at[2])-julian)*day, int64(at[1])<<32|int64(at[0])).UTC().Format(c.layout)
	case parquet.Int64:
		x = v.Int64()
	case parquet.Int32:
		x = int64(v.Int32())
	default:
		return string(v.ByteArray())
	}
	if ticks == 0 {
		x, ticks = x*day, 1
	}
	return time.Unix(x/ticks, x%ticks*(1e9/ticks)).UTC().Format(c.layout)
}
